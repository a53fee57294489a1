ALTER TABLE "positions" ADD COLUMN "funding_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "positions" ADD COLUMN "funding_unknown_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "bots_with_funding" ON "bots" USING btree ("id") WHERE settings ->> 'funding' = 'exchange';