"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "paws_tasks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("instructions", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
    )
    op.create_table(
        "paws_items",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("task_id", sa.Integer, sa.ForeignKey("paws_tasks.id"), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("source", sa.String(200), nullable=False),
        sa.Column("stage", sa.String(20), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("needed", sa.Integer, nullable=False),
        sa.Column("taken", sa.Integer, nullable=False),
        sa.UniqueConstraint("task_id", "key", name="uq_paws_items_key"),
        sa.CheckConstraint("taken >= 0 and taken <= needed", name="ck_paws_items_taken"),
    )
    op.create_index("ix_paws_items_order", "paws_items", ["task_id", "position"])
    op.create_table(
        "paws_raters",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("admin", sa.Boolean, nullable=False),
        sa.Column("secret", sa.String(64), unique=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("revoked", sa.Double),
        sa.Column("seen", sa.Double),
    )
    op.create_table(
        "paws_sessions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("secret", sa.String(64), nullable=False, unique=True),
        sa.Column("rater_id", sa.Integer, sa.ForeignKey("paws_raters.id"), nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
    )
    op.create_table(
        "paws_assignments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("ticket", sa.String(64), nullable=False, unique=True),
        sa.Column("task_id", sa.Integer, sa.ForeignKey("paws_tasks.id"), nullable=False),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("paws_items.id"), nullable=False),
        sa.Column("rater_id", sa.Integer, sa.ForeignKey("paws_raters.id"), nullable=False),
        sa.Column("slot", sa.Integer),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("flipped", sa.Boolean, nullable=False),
        sa.Column("shown", sa.Double, nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
        sa.Column("answered", sa.Double),
        sa.Column("seconds", sa.Double),
        sa.Column("answer", sa.JSON(none_as_null=True)),
        sa.Column("dollars", sa.Double),
        sa.UniqueConstraint("item_id", "rater_id", name="uq_paws_assignments_rater"),
        sa.UniqueConstraint("item_id", "slot", name="uq_paws_assignments_slot"),
    )
    op.create_index("ix_paws_assignments_rater", "paws_assignments", ["rater_id", "task_id", "state"])
    op.create_index("ix_paws_assignments_expiry", "paws_assignments", ["task_id", "state", "expires"])
    op.create_table(
        "paws_checks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("paws_assignments.id"), nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("mi", sa.Boolean, nullable=False),
        sa.Column("similarity", sa.Double, nullable=False),
        sa.Column("forward", sa.Double, nullable=False),
        sa.Column("backward", sa.Double, nullable=False),
        sa.Column("reward", sa.Double, nullable=False),
        sa.Column("dollars", sa.Double, nullable=False),
        sa.Column("judge", sa.JSON, nullable=False),
    )
    op.create_index("ix_paws_checks_assignment", "paws_checks", ["assignment_id"])
    op.create_table(
        "paws_undone",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("paws_assignments.id"), nullable=False),
        sa.Column("answered", sa.Double, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("dollars", sa.Double),
    )


def downgrade() -> None:
    for name in ("undone", "checks", "assignments", "sessions", "raters", "items", "tasks"):
        op.drop_table(f"paws_{name}")
