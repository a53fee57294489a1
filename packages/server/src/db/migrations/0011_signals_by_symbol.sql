DROP INDEX "bot_signals_open";--> statement-breakpoint
CREATE INDEX "bot_signals_open" ON "bot_signals" USING btree ("bot_id","symbol","id") WHERE status in ('QUEUED', 'WORKING');