"""A round keeps the answer mode it was posted with, and the moment its result began to be shown

Revision 0002, after 0001.
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("round", sa.Column("mode", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))
    op.add_column("round", sa.Column("revealed_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.execute(
        "UPDATE round SET mode = (SELECT schedule.mode FROM schedule WHERE schedule.id = round.schedule_id) "
        "WHERE fingerprint IS NOT NULL"
    )
    op.execute(
        "UPDATE round SET revealed_at = (SELECT min(delivery.first_sent_at) FROM delivery WHERE "
        "delivery.subject_id = round.id AND delivery.step IN ('close', 'result') AND delivery.attempt > 0)"
    )


def downgrade() -> None:
    op.drop_column("round", "revealed_at")
    op.drop_column("round", "mode")
