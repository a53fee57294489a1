ALTER TABLE "llm_settings" ADD COLUMN "fallback_id" bigint;--> statement-breakpoint
ALTER TABLE "llm_settings" ADD COLUMN "send_email" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_settings" ADD CONSTRAINT "llm_settings_fallback_id_ai_connections_id_fk" FOREIGN KEY ("fallback_id") REFERENCES "public"."ai_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "llm_settings_fallback_id_index" ON "llm_settings" USING btree ("fallback_id");--> statement-breakpoint
-- Otherwise the next save of each AI strategy would say that its fallback has changed.
UPDATE "strategy_versions" v SET "settings" = v."settings" || '{"fallback_id": null}'::jsonb
FROM "llm_settings" l WHERE l."strategy_id" = v."strategy_id";
