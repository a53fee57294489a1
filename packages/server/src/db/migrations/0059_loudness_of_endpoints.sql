ALTER TABLE "notification_endpoints" ADD COLUMN "silent" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD COLUMN "quiet_hours" jsonb;