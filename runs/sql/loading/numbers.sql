-- numbers
-- A chunk of made-up runs as a temporary table, from numbers alone: the same seed makes the same
-- runs. Ages follow a square, so that recent days have more; the last runs of all, those from
-- `unfinished_from` on, are of the last two hours and stand in every status that is not the end.
--
-- place counts finished steps; took is the seconds that each step took.
CREATE TEMPORARY TABLE load_run ON COMMIT DROP AS
WITH drawn AS (
    SELECT n, decode(md5(%(seed)s::text || '/' || n), 'hex') AS dice FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
), rolled AS (
    SELECT n, n >= %(unfinished_from)s::bigint AS is_open, dice,
           get_byte(dice, 0) * 256 + get_byte(dice, 1) AS age_die, get_byte(dice, 2) AS end_die,
           get_byte(dice, 3) * 256 + get_byte(dice, 4) AS buyer_die, get_byte(dice, 5) AS supplier_die,
           get_byte(dice, 6) * 65536 + get_byte(dice, 7) * 256 + get_byte(dice, 8) AS amount_die,
           get_byte(dice, 9) AS step_die, get_byte(dice, 10) AS currency_die, get_byte(dice, 11) AS pace_die
    FROM drawn
), placed AS (
    SELECT r.*, cardinality(%(steps)s::text[]) AS steps,
           CASE WHEN is_open THEN (%(statuses)s::text[])[1 + n %% cardinality(%(statuses)s::text[])]
                WHEN end_die < 5 THEN 'cancelled' WHEN end_die < 10 THEN 'failed' ELSE 'done' END AS status,
           clock_timestamp() - CASE WHEN is_open THEN interval '2 hours' * age_die / 65536
                ELSE interval '10 minutes' + interval '1 second' * %(age_seconds)s * power(age_die / 65536.0, 2) END AS created_at
    FROM rolled AS r
)
SELECT 'load_' || %(seed)s || '_' || n AS run_id, n, is_open, status, created_at, steps,
       CASE WHEN status = 'done' THEN steps ELSE step_die %% steps END AS place,
       0.5 + pace_die / 16.0 AS took,
       'PO-' || to_char(created_at, 'YYYY') || '-' || lpad(n::text, 7, '0') AS order_ref,
       (%(buyers)s::text[])[1 + buyer_die %% cardinality(%(buyers)s::text[])] || ' ' || buyer_die / 97 AS buyer,
       (%(suppliers)s::text[])[1 + supplier_die %% cardinality(%(suppliers)s::text[])] AS supplier,
       (15 + amount_die / 100.0)::numeric(12, 2) AS amount,
       CASE WHEN currency_die < 200 THEN 'EUR' WHEN currency_die < 230 THEN 'CHF' ELSE 'SEK' END AS currency
FROM placed
