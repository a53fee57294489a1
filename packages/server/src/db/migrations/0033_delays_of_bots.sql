ALTER TABLE "bot_signals" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "bot_signals_delayed" ON "bot_signals" USING btree ("bot_id","symbol","id") WHERE status = 'DELAYED';--> statement-breakpoint
CREATE INDEX "bot_signals_due" ON "bot_signals" USING btree ("due_at","id") WHERE status = 'DELAYED';--> statement-breakpoint
UPDATE "bots" SET "settings" = '{"delaySeconds": 0}'::jsonb || "settings";
