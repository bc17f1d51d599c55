-- The guard before every write to run_state. It never raises at a worker: what must not happen
-- is skipped, and zero rows is the answer the writer already knows how to read.

-- Drops the keys that only say which item of a loop is under way and what that call would cost.
CREATE FUNCTION run_position(cursor jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN jsonb_typeof(cursor) = 'object'
                THEN cursor - '{item,items_done,items_total,amount,guard,unknown}'::text[] ELSE cursor END
$$;

-- A started row of a workflow of ours whose mark names no guard counts as unprotected: it was
-- written by somebody who could not say. Runs without a workflow keep the plain protocol.
CREATE FUNCTION run_unprotected(status text, workflow text, cursor jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT status = 'started' AND CASE WHEN workflow = '' THEN coalesce(cursor->>'guard', '') = 'unprotected'
        ELSE coalesce(cursor->>'guard', '') NOT IN ('pure', 'keyed', 'probed', 'repeat_ok') END
$$;

CREATE FUNCTION run_draining(owner text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM run_drain_bound b JOIN run_drain d ON d.id = b.drain_id
                   WHERE b.owner = $1 AND d.ended_at IS NULL)
        OR EXISTS (SELECT 1 FROM run_worker w WHERE w.owner = $1 AND w.sigterm_at IS NOT NULL)
$$;

-- It runs at every commit, so the common case, an owner that goes on, passes few expressions.
CREATE FUNCTION run_state_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.status := left(coalesce(NEW.cursor->>'status', ''), 200);
    NEW.step := left(coalesce(NEW.cursor->>'step', ''), 200);
    IF TG_OP = 'INSERT' THEN
        IF NEW.status = 'started' THEN NEW.first_started_at := coalesce(NEW.first_started_at, clock_timestamp()); END IF;
        RETURN NEW;
    END IF;
    IF NEW.epoch <> OLD.epoch OR NEW.lease_owner IS DISTINCT FROM OLD.lease_owner THEN
        IF NOT run_may_change_hands(OLD, NEW) THEN RETURN NULL; END IF;
        -- An owner that only asked the vendor has sent nothing: were its lease counted, each asking
        -- would put off the moment from which a *no* counts, and the last would never come.
        IF OLD.status = 'started' AND OLD.lease_expires_at IS NOT NULL
           AND NEW.cursor->>'asked' IS DISTINCT FROM OLD.epoch::text THEN
            NEW.may_send_until := greatest(OLD.may_send_until, OLD.lease_expires_at);
        END IF;
    END IF;
    IF NEW.status NOT IN ('pending', 'started') AND NEW.status IN ('held', 'waiting', 'in_doubt', 'blocked', 'done', 'failed', 'cancelled') THEN
        IF OLD.status = 'started' AND OLD.lease_expires_at IS NOT NULL THEN
            NEW.may_send_until := greatest(OLD.may_send_until, OLD.lease_expires_at);
        END IF;
        NEW.lease_owner := NULL;
        NEW.lease_expires_at := NULL;
    END IF;
    IF NEW.cursor = OLD.cursor AND NEW.generation = OLD.generation THEN
        RETURN NEW;
    END IF;
    NEW.updated_at := clock_timestamp();
    -- Another call (step, item, generation) starts its own clock; the same call remembers until
    -- when an earlier owner may still send it.
    IF NEW.step <> OLD.step THEN
        NEW.entered_generation := NEW.generation;
        NEW.lapses := '{}';
        NEW.first_started_at := CASE WHEN NEW.status = 'started' THEN NEW.updated_at END;
        NEW.may_send_until := NULL;
    ELSIF NEW.generation <> OLD.generation OR NEW.cursor->'item' IS DISTINCT FROM OLD.cursor->'item' THEN
        NEW.first_started_at := CASE WHEN NEW.status = 'started' THEN NEW.updated_at END;
        NEW.may_send_until := NULL;
    ELSIF NEW.status = 'started' AND NEW.first_started_at IS NULL THEN
        NEW.first_started_at := NEW.updated_at;
    END IF;
    RETURN NEW;
END $$;

-- May this write raise the epoch or change the owner? False skips the write. A waiting row may be
-- taken only by a statement that also makes it pending: that is a claim which looked at wake_at.
CREATE FUNCTION run_may_change_hands(old run_state, new run_state) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF new.epoch < old.epoch THEN
        RAISE EXCEPTION 'The epoch of run % stands at % and cannot go down to %: a lower epoch would let a stale worker write again. Leave epoch alone or raise it.',
            old.run_id, old.epoch, new.epoch USING ERRCODE = 'LB001';
    END IF;
    RETURN new.lease_owner IS NULL OR new.lease_owner IS NOT DISTINCT FROM old.lease_owner
        OR (new.epoch > old.epoch
            AND new.status NOT IN ('held', 'waiting', 'in_doubt', 'blocked', 'done', 'failed', 'cancelled')
            AND old.status NOT IN ('held', 'in_doubt', 'blocked', 'done', 'failed', 'cancelled')
            AND NOT run_unprotected(old.status, old.workflow, old.cursor));
END $$;

-- The column list keeps heartbeats, which touch only the expiry, out of here.
CREATE TRIGGER run_state_guard BEFORE INSERT OR UPDATE OF cursor, epoch, lease_owner, generation, status, step
    ON run_state FOR EACH ROW EXECUTE FUNCTION run_state_guard();

CREATE FUNCTION run_state_order_ref() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.order_ref := left(coalesce(NEW.input->>'order_ref', ''), 200);
    RETURN NEW;
END $$;

CREATE TRIGGER run_state_order_ref BEFORE INSERT OR UPDATE OF input ON run_state
    FOR EACH ROW EXECUTE FUNCTION run_state_order_ref();

-- Marks are honoured by the next statement that takes the lease or writes the cursor, whoever
-- sends it: cancel before flag before hold. A run that reaches its end reaches it.
CREATE FUNCTION run_honour(signals jsonb, onward jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    mark text := CASE WHEN signals->'marks' ? 'cancel' THEN 'cancel' WHEN signals->'marks' ? 'flag' THEN 'flag'
                      WHEN signals->'marks' ? 'hold' THEN 'hold' END;
BEGIN
    IF mark IS NULL OR onward->>'status' IN ('done', 'failed', 'cancelled') THEN RETURN onward; END IF;
    RETURN onward - '{guard,amount}'::text[] || jsonb_build_object(
        'status', CASE mark WHEN 'cancel' THEN 'cancelled' WHEN 'flag' THEN 'in_doubt' ELSE 'held' END,
        'attempt', 0, 'reason', signals->'marks'->mark->>'reason')
        || CASE WHEN mark = 'flag' THEN jsonb_build_object('case', signals->'marks'->'flag'->'case') ELSE '{}' END;
END $$;

-- The told signals without those that this step consumed, and without marks once they are
-- honoured. Ids of the last hundred consumed stay, so that the same signal sent again is known.
CREATE FUNCTION run_after(signals jsonb, consumed text[], honoured boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    told jsonb;
    spent jsonb;
BEGIN
    IF honoured THEN signals := signals - 'marks'; END IF;
    IF cardinality(consumed) = 0 THEN RETURN signals; END IF;
    SELECT coalesce(jsonb_agg(t ORDER BY n) FILTER (WHERE NOT t->>'id' = ANY (consumed)), '[]')
        INTO told FROM jsonb_array_elements(coalesce(signals->'told', '[]')) WITH ORDINALITY AS e(t, n);
    SELECT jsonb_agg(id ORDER BY n) INTO spent FROM (
        SELECT id, n FROM jsonb_array_elements_text(coalesce(signals->'consumed', '[]') || to_jsonb(consumed)) WITH ORDINALITY AS e(id, n)
        ORDER BY n DESC LIMIT 100) AS last;
    RETURN signals || jsonb_build_object('told', told, 'consumed', spent);
END $$;

-- Has a signal of this name for this doing of the step been told and not yet consumed?
CREATE FUNCTION run_has_signal(signals jsonb, wanted text, step text, generation integer) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM jsonb_array_elements(coalesce(signals->'told', '[]')) AS t
                   WHERE t->>'name' = wanted AND t->>'step' = step AND (t->>'generation')::integer = generation)
$$;

-- Open a case for a call whose outcome is unknown, or join the one that is open. certain: it is known
-- to have happened, and only its result could not be stored. Returns its id.
CREATE FUNCTION run_open_doubt(r run_state, start_cursor jsonb, call_owner text, call_epoch bigint, held bigint, why text, who text,
                               certain boolean DEFAULT false)
RETURNS bigint LANGUAGE sql AS $$
    INSERT INTO run_doubt AS d (run_id, step, item, generation, reason, opened_by, owner, epoch, start_cursor, held_epoch, known, owners, amount, currency)
    VALUES (r.run_id, coalesce(start_cursor->>'step', ''), start_cursor->>'item', r.generation, why, who, call_owner, call_epoch,
            start_cursor, held, certain, array_remove(ARRAY[call_owner], NULL),
            CASE WHEN start_cursor->'amount'->>'amount' ~ '^-?[0-9]{1,18}([.][0-9]{1,9})?$' THEN (start_cursor->'amount'->>'amount')::numeric END,
            coalesce(start_cursor->'amount'->>'currency', ''))
    ON CONFLICT (run_id, step, item, generation) WHERE closed_at IS NULL
    DO UPDATE SET attempts = d.attempts + 1, owners = d.owners || EXCLUDED.owners, version = d.version + 1,
                  held_epoch = coalesce(EXCLUDED.held_epoch, d.held_epoch), known = d.known OR EXCLUDED.known
    RETURNING d.id
$$;
