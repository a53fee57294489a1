CREATE TABLE "protection_watch" (
	"id" integer PRIMARY KEY NOT NULL,
	"watched_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "position_protections" ADD COLUMN "missed_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "position_protections" ADD COLUMN "missed_price" numeric;