-- The defaults come after their columns: so old rows stay null, and PostgreSQL need not write these tables again.
ALTER TABLE "runs" ADD COLUMN "version" integer;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "steps" jsonb;--> statement-breakpoint
ALTER TABLE "fills" ADD COLUMN "booked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "fills" ALTER COLUMN "booked_at" SET DEFAULT clock_timestamp();--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "sent_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "acknowledged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "stored_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deliveries" ALTER COLUMN "stored_at" SET DEFAULT clock_timestamp();