ALTER TABLE "signals" ADD COLUMN "flags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "signals" SET "flags" = array["flag"] WHERE "flag" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" DROP COLUMN "flag";
