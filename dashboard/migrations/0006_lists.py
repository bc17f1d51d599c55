from __future__ import annotations

from django.db import migrations

# Each list walks down an index in its own order. None holds a column that a heartbeat or a step's commit
# changes, beside status, which the record indexes already: a run enters an index of ended ones once, at its end.
FORWARD = """
CREATE INDEX run_state_ended ON run_state (status, created_at, run_id) WHERE status IN ('done', 'failed', 'cancelled');
CREATE INDEX run_state_unknown ON run_state (created_at, run_id) WHERE status NOT IN
    ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked', 'done', 'failed', 'cancelled');
CREATE INDEX run_state_order_folded ON run_state (lower(order_ref) text_pattern_ops) WHERE order_ref <> '';
DROP INDEX IF EXISTS run_state_ended_badly;
DROP INDEX IF EXISTS run_state_order_ref;
"""
BACKWARD = """
CREATE INDEX run_state_order_ref ON run_state (order_ref text_pattern_ops) WHERE order_ref <> '';
CREATE INDEX run_state_ended_badly ON run_state (status, created_at, run_id) WHERE status NOT IN
    ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked', 'done', 'cancelled');
DROP INDEX run_state_ended; DROP INDEX run_state_unknown; DROP INDEX run_state_order_folded;
"""


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0005_notes"), ("runs", "0005_tally")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
