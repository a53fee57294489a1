DROP INDEX "strategies_user_id_type_index";--> statement-breakpoint
DROP INDEX "bots_user_id_index";--> statement-breakpoint
DROP INDEX "bot_webhooks_user_id_index";--> statement-breakpoint
DROP INDEX "data_webhooks_user_id_index";--> statement-breakpoint
CREATE INDEX "strategies_user_id_type_id_index" ON "strategies" USING btree ("user_id","type","id");--> statement-breakpoint
CREATE INDEX "bots_user_id_id_index" ON "bots" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "bot_webhooks_user_id_id_index" ON "bot_webhooks" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "data_webhooks_user_id_id_index" ON "data_webhooks" USING btree ("user_id","id");