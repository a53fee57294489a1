ALTER TABLE "bots" ADD COLUMN "highest_equity" numeric;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "drawdown_reached_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "drawdown_equity" numeric;--> statement-breakpoint
-- The bots so far have no limit of their drawdown.
UPDATE "bots" SET "settings" = '{"maxDrawdown": null}'::jsonb || "settings";
