ALTER TABLE "bot_webhooks" ADD COLUMN "allow_from" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "bot_webhooks" ADD COLUMN "format" text DEFAULT 'tickwright' NOT NULL;--> statement-breakpoint
ALTER TABLE "data_webhooks" ADD COLUMN "allow_from" text[] DEFAULT '{}' NOT NULL;