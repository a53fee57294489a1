ALTER TABLE "notification_endpoints" ADD COLUMN "muted_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD COLUMN "digest" jsonb;--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD COLUMN "digest_due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD COLUMN "digest_day" text;--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD COLUMN "digest_until" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "notification_endpoints_digest" ON "notification_endpoints" USING btree ("digest_due_at") WHERE digest is not null;