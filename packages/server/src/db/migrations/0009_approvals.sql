CREATE TABLE "approvals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "approvals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"strategy_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"action" text NOT NULL,
	"symbols" jsonb NOT NULL,
	"options" jsonb NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"response" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "mcp" text DEFAULT 'read' NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_reactions" ADD COLUMN "needs_approval" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_reactions" ADD COLUMN "approval_minutes" integer DEFAULT 15 NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_strategy_id_strategies_id_fk" FOREIGN KEY ("strategy_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_run" ON "approvals" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_waiting" ON "approvals" USING btree ("strategy_id") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "approvals_user_id_id_index" ON "approvals" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "approvals_strategy_id_id_index" ON "approvals" USING btree ("strategy_id","id");