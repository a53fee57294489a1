ALTER TABLE "bot_webhook_shares" DROP CONSTRAINT "bot_webhook_shares_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "data_webhook_shares" DROP CONSTRAINT "data_webhook_shares_user_id_users_id_fk";
--> statement-breakpoint
DROP INDEX "bot_webhook_shares_webhook_id_user_id_index";--> statement-breakpoint
DROP INDEX "data_webhook_shares_webhook_id_user_id_index";--> statement-breakpoint
ALTER TABLE "bot_webhook_shares" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "data_webhook_shares" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "by_strategy_id" bigint;--> statement-breakpoint
ALTER TABLE "bot_webhook_shares" ADD COLUMN "named_user_id" bigint;--> statement-breakpoint
UPDATE "bot_webhook_shares" SET "named_user_id" = "user_id";--> statement-breakpoint
ALTER TABLE "bot_webhook_shares" ALTER COLUMN "named_user_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "data_webhook_shares" ADD COLUMN "named_user_id" bigint;--> statement-breakpoint
UPDATE "data_webhook_shares" SET "named_user_id" = "user_id";--> statement-breakpoint
ALTER TABLE "data_webhook_shares" ALTER COLUMN "named_user_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "bot_webhook_shares" ADD CONSTRAINT "bot_webhook_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_webhook_shares" ADD CONSTRAINT "data_webhook_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "bot_webhook_shares_webhook_id_named_user_id_index" ON "bot_webhook_shares" USING btree ("webhook_id","named_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "data_webhook_shares_webhook_id_named_user_id_index" ON "data_webhook_shares" USING btree ("webhook_id","named_user_id");