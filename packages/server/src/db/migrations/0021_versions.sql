CREATE TABLE "strategy_versions" (
	"strategy_id" bigint NOT NULL,
	"version" bigint NOT NULL,
	"until" bigint,
	"text" text NOT NULL,
	"settings" jsonb NOT NULL,
	"changed" jsonb NOT NULL,
	"saved_at" timestamp with time zone DEFAULT now() NOT NULL,
	"via" text,
	"api_key_id" bigint,
	"by_strategy_id" bigint,
	"reason" text,
	"restored_from" bigint,
	"is_named" boolean DEFAULT false NOT NULL,
	CONSTRAINT "strategy_versions_strategy_id_version_pk" PRIMARY KEY("strategy_id","version")
);
--> statement-breakpoint
ALTER TABLE "strategy_versions" ADD CONSTRAINT "strategy_versions_strategy_id_strategies_id_fk" FOREIGN KEY ("strategy_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- The strategies that are there already get their first version. Nobody knows who saved it, or when it began to apply.
INSERT INTO "strategy_versions" ("strategy_id", "version", "text", "settings", "changed", "saved_at")
SELECT s."id", s."version", CASE s."type" WHEN 'llm-reaction' THEN l."prompt" ELSE s."code" END,
  jsonb_build_object('send_signal', s."send_signal", 'webhook_id', s."webhook_id", 'symbol', s."symbol")
  || CASE s."type" WHEN 'llm-reaction' THEN jsonb_build_object(
    'connection_id', l."connection_id", 'actions', l."actions", 'max_size', l."max_size",
    'tokens_per_day', l."tokens_per_day", 'actions_per_day', l."actions_per_day")
  ELSE jsonb_build_object(
    'use_price', s."use_price", 'exchange_id', s."exchange_id", 'price_symbol', s."price_symbol") END
  || CASE s."type" WHEN 'code-strategy' THEN jsonb_build_object(
    'cron_interval', s."cron_interval", 'timezone', s."timezone")
  ELSE jsonb_build_object('data_webhook_id', s."data_webhook_id", 'delay', s."delay") END,
  '[]', s."updated_at"
FROM "strategies" s LEFT JOIN "llm_reactions" l ON l."strategy_id" = s."id"
WHERE s."type" <> 'llm-reaction' OR l."strategy_id" IS NOT NULL;
