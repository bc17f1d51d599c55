-- The trigger that writes the log. It tolerates any jsonb: a foreign worker's odd cursor must
-- never cost it a commit. Verbs name themselves, the build, the actor and the reason in the
-- setting leaseboard.by, four fields parted by U+001F, local to their own statement; a writer
-- who leaves it empty is a worker that knows only the plain protocol, or a hand.

CREATE FUNCTION run_attempt(cursor jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN cursor->>'attempt' ~ '^[0-9]{1,9}$' THEN (cursor->>'attempt')::integer END
$$;

-- Copies what left completed or changed there, so that a paid result never has one copy only.
CREATE FUNCTION run_keep_displaced(old run_state, completed jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF jsonb_typeof(old.completed) <> 'object' OR jsonb_typeof(completed) <> 'object' THEN
        INSERT INTO run_output (run_id, step, generation, epoch, kind, value)
        VALUES (old.run_id, old.step, old.generation, old.epoch, 'displaced', old.completed);
        RETURN;
    END IF;
    INSERT INTO run_output (run_id, step, generation, epoch, kind, value)
    SELECT old.run_id, was.key, old.generation, old.epoch, 'displaced', was.value
    FROM jsonb_each(old.completed) AS was
    WHERE completed->was.key IS DISTINCT FROM was.value;
END $$;

-- This function runs at every commit, each in a transaction of its own, where PL/pgSQL prepares
-- every expression anew and an INSERT pays for each of its own. So an owner that records a step's
-- result and goes straight on, with nobody named as actor, has a short INSERT of its own: it says
-- what the long one would.
CREATE FUNCTION run_state_log() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    done_step text;
    torn boolean := false;
BEGIN
    IF NEW.status = 'started' AND OLD.status = 'started' AND NEW.step <> OLD.step AND NEW.wake_at IS NULL
        AND NEW.epoch = OLD.epoch AND NEW.lease_owner = OLD.lease_owner AND NEW.generation = OLD.generation AND TG_NARGS = 0
        AND starts_with(current_setting('leaseboard.by', true), 'commit_step')
        AND right(current_setting('leaseboard.by', true), 3) = E'\x1f\x1f\x1f'
        AND jsonb_typeof(NEW.completed) = 'object' AND NEW.completed ? OLD.step AND NOT OLD.completed ? OLD.step
        AND NEW.completed - OLD.step = OLD.completed THEN
        INSERT INTO run_transition (run_id, epoch, generation, cursor_before, cursor_after, owner_before, owner_after,
            completed_step, began_step, attempt, lapsed_at, result_hash, build, kind)
        VALUES (NEW.run_id, NEW.epoch, NEW.generation, OLD.cursor, NEW.cursor, OLD.lease_owner, NEW.lease_owner,
            OLD.step, NEW.step,
            CASE WHEN NEW.cursor->>'attempt' = '1' THEN 1
                 WHEN NEW.cursor->>'attempt' ~ '^[0-9]{1,9}$' THEN (NEW.cursor->>'attempt')::integer END,
            CASE WHEN OLD.lease_expires_at < clock_timestamp() THEN OLD.lease_expires_at END,
            sha256(convert_to((NEW.completed->OLD.step)::text, 'UTF8')),
            nullif(split_part(current_setting('leaseboard.by', true), E'\x1f', 2), ''), 'step_completed');
        RETURN NULL;
    END IF;
    IF NEW.completed <> OLD.completed THEN
        IF NOT OLD.completed ? OLD.step AND OLD.completed || jsonb_build_object(OLD.step, NEW.completed->OLD.step) = NEW.completed THEN
            done_step := OLD.step;
        ELSE
            torn := true;
            IF NEW.completed ? OLD.step AND NEW.completed->OLD.step IS DISTINCT FROM OLD.completed->OLD.step THEN
                done_step := OLD.step;
            END IF;
            PERFORM run_keep_displaced(OLD, NEW.completed);
        END IF;
    ELSIF NEW.epoch = OLD.epoch AND NEW.lease_owner IS NOT DISTINCT FROM OLD.lease_owner AND NEW.generation = OLD.generation
        AND NEW.wake_at IS NOT DISTINCT FROM OLD.wake_at AND NEW.signals = OLD.signals AND NEW.workflow = OLD.workflow
        AND TG_NARGS = 0 AND run_position(NEW.cursor) = run_position(OLD.cursor) THEN
        -- Nothing but the expiry or the item moved; run_item tells of items.
        RETURN NULL;
    END IF;
    INSERT INTO run_transition (run_id, epoch, generation, cursor_before, cursor_after, owner_before, owner_after,
        completed_step, began_step, attempt, lease_event, lapsed_at, result_hash, told, build, actor, reason, kind)
    SELECT NEW.run_id, NEW.epoch, NEW.generation, OLD.cursor, NEW.cursor, OLD.lease_owner, NEW.lease_owner,
        done_step, begun,
        CASE WHEN NEW.cursor->>'attempt' ~ '^[0-9]{1,9}$' THEN (NEW.cursor->>'attempt')::integer END,
        event,
        CASE WHEN OLD.lease_expires_at < clock_timestamp() THEN OLD.lease_expires_at END,
        CASE WHEN done_step IS NOT NULL THEN sha256(convert_to((NEW.completed->done_step)::text, 'UTF8')) END,
        nullif(split_part(by_whom, E'\x1f', 5), ''), nullif(split_part(by_whom, E'\x1f', 2), ''),
        nullif(split_part(by_whom, E'\x1f', 3), ''), nullif(split_part(by_whom, E'\x1f', 4), ''),
        -- One word, the most telling first, for a statement that may have done several things.
        CASE
        WHEN verb IN ('taken_over', 'held', 'lifted', 'flagged', 'signalled', 'nudged', 'resolved', 'landed_late',
                      'not_sent', 'rewound', 'retried', 'cancelled') THEN verb
        WHEN verb = '' AND (event IS NULL OR event = 'released')
             AND (OLD.lease_owner IS NULL OR NEW.epoch > OLD.epoch OR TG_NARGS > 0 OR NEW.generation <> OLD.generation
                  OR (torn AND done_step IS NULL)) THEN 'edited'
        WHEN NEW.status <> OLD.status AND NEW.status IN ('done', 'failed', 'cancelled', 'in_doubt', 'blocked', 'held') THEN NEW.status
        WHEN event = 'taken_over' THEN 'taken_over'
        WHEN event = 'claimed' THEN CASE WHEN OLD.status = 'waiting' THEN 'woken' ELSE 'claimed' END
        WHEN NEW.status = 'waiting' THEN 'waiting'
        WHEN done_step IS NOT NULL THEN 'step_completed'
        WHEN NEW.wake_at IS NOT NULL AND NEW.wake_at IS DISTINCT FROM OLD.wake_at THEN 'retry_scheduled'
        WHEN begun IS NOT NULL THEN 'step_started'
        WHEN event = 'released' THEN 'released'
        ELSE 'edited' END
    FROM (SELECT
        current_setting('leaseboard.by', true) AS by_whom,
        coalesce(split_part(current_setting('leaseboard.by', true), E'\x1f', 1), '') AS verb,
        CASE WHEN NEW.lease_owner IS NULL THEN CASE WHEN OLD.lease_owner IS NOT NULL THEN 'released' END
             WHEN NEW.epoch > OLD.epoch THEN CASE WHEN OLD.lease_owner <> NEW.lease_owner THEN 'taken_over' ELSE 'claimed' END END AS event,
        CASE WHEN NEW.status = 'started' AND (OLD.status <> 'started' OR NEW.step <> OLD.step
                  OR NEW.cursor->'attempt' IS DISTINCT FROM OLD.cursor->'attempt') THEN NEW.step END AS begun) AS facts;
    RETURN NULL;
END $$;

CREATE FUNCTION run_state_log_ends() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    by_fields text[] := string_to_array(coalesce(current_setting('leaseboard.by', true), ''), E'\x1f');
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM run_keep_displaced(OLD, '{}');
        INSERT INTO run_transition (run_id, kind, epoch, generation, cursor_before, owner_before, build, actor, reason)
        VALUES (OLD.run_id, 'deleted', OLD.epoch, OLD.generation, OLD.cursor, OLD.lease_owner,
                nullif(by_fields[2], ''), nullif(by_fields[3], ''), nullif(by_fields[4], ''));
        RETURN NULL;
    END IF;
    INSERT INTO run_transition (run_id, kind, epoch, generation, cursor_after, owner_after, began_step, attempt, lease_event, build, actor, reason)
    VALUES (NEW.run_id, 'started_run', NEW.epoch, NEW.generation, NEW.cursor, NEW.lease_owner,
            CASE WHEN NEW.status = 'started' THEN NEW.step END, run_attempt(NEW.cursor),
            CASE WHEN NEW.lease_owner IS NOT NULL THEN 'claimed' END,
            nullif(by_fields[2], ''), nullif(by_fields[3], ''), nullif(by_fields[4], ''));
    RETURN NULL;
END $$;

CREATE TRIGGER run_state_log_ends AFTER INSERT OR DELETE ON run_state FOR EACH ROW EXECUTE FUNCTION run_state_log_ends();

-- The lists of columns keep heartbeats out of here. A WHEN clause would be planned anew for
-- every statement, at more than the price of the whole function. Comparing input would unpack it
-- at every commit, so that stands apart and happens only where a statement writes input.
CREATE TRIGGER run_state_log AFTER UPDATE OF cursor, completed, epoch, lease_owner, generation, wake_at, signals, workflow, status, step
    ON run_state FOR EACH ROW EXECUTE FUNCTION run_state_log();
CREATE TRIGGER run_state_log_input AFTER UPDATE OF input ON run_state FOR EACH ROW
    WHEN (OLD.input <> NEW.input AND OLD.cursor = NEW.cursor AND OLD.completed = NEW.completed AND OLD.epoch = NEW.epoch
          AND OLD.lease_owner IS NOT DISTINCT FROM NEW.lease_owner AND OLD.signals = NEW.signals)
    EXECUTE FUNCTION run_state_log('input');
CREATE TRIGGER run_state_no_truncate BEFORE TRUNCATE ON run_state EXECUTE FUNCTION run_append_only();
