DROP INDEX "approvals_run";--> statement-breakpoint
DROP INDEX "approvals_waiting";--> statement-breakpoint
ALTER TABLE "approvals" ALTER COLUMN "action" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ALTER COLUMN "symbols" SET DEFAULT '[]'::jsonb;--> statement-breakpoint
ALTER TABLE "approvals" ALTER COLUMN "options" SET DEFAULT '{}'::jsonb;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "kind" text DEFAULT 'action' NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "target_id" bigint;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "change" jsonb;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_target_id_strategies_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_target_id_index" ON "approvals" USING btree ("target_id");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_run" ON "approvals" USING btree ("run_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_waiting" ON "approvals" USING btree ("strategy_id","kind",coalesce("target_id", 0)) WHERE status = 'PENDING';