-- The default comes after its column: so old rows stay null, and PostgreSQL need not write the table again.
ALTER TABLE "payments" ADD COLUMN "booked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payments" ALTER COLUMN "booked_at" SET DEFAULT clock_timestamp();