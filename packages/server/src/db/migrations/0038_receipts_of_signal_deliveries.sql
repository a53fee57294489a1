-- In two steps, so that posts from before this have no time: a volatile default of a new column would be that of now.
ALTER TABLE "bot_webhook_deliveries" ADD COLUMN "stored_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "bot_webhook_deliveries" ALTER COLUMN "stored_at" SET DEFAULT clock_timestamp();
