from __future__ import annotations

from django.db import migrations

# What the pages look for and the workers do not: the last four characters of an order number, and the few
# rows that ended badly or in a word that nobody here knows. Neither holds a column that a heartbeat or a
# step's commit changes, beside status, which the record indexes already.
FORWARD = """
CREATE INDEX run_state_order_tail ON run_state (upper(right(order_ref, 4)), created_at) WHERE order_ref <> '';
CREATE INDEX run_state_ended_badly ON run_state (status, created_at, run_id) WHERE status NOT IN
    ('pending', 'started', 'waiting', 'in_doubt', 'held', 'blocked', 'done', 'cancelled');
"""
BACKWARD = "DROP INDEX run_state_order_tail; DROP INDEX run_state_ended_badly;"


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0001_roles"), ("runs", "0001_record")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
