ALTER TABLE "orders" ADD COLUMN "type" text DEFAULT 'market' NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "limit_price" numeric;