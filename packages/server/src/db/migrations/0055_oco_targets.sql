ALTER TABLE "protection_legs" ADD COLUMN "oco_target" integer;--> statement-breakpoint
ALTER TABLE "protection_legs" ADD COLUMN "oco_price" numeric;--> statement-breakpoint
ALTER TABLE "protection_legs" ADD COLUMN "oco_client_id" text;