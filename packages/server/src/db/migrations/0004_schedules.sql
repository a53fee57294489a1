CREATE TABLE "schedules" (
	"strategy_id" bigint PRIMARY KEY NOT NULL,
	"ticks" boolean NOT NULL,
	"next_run_at" timestamp with time zone NOT NULL,
	"fired_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "strategies" ADD COLUMN "cron_interval" text;--> statement-breakpoint
ALTER TABLE "strategies" ADD COLUMN "timezone" text;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_strategy_id_strategies_id_fk" FOREIGN KEY ("strategy_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_run_at") WHERE not ticks;--> statement-breakpoint
CREATE INDEX "schedules_ticks" ON "schedules" USING btree ("strategy_id") WHERE ticks;