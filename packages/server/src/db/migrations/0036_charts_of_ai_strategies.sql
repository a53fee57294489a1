ALTER TABLE "llm_settings" ADD COLUMN "use_chart" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_settings" ADD COLUMN "chart_symbol" text;--> statement-breakpoint
ALTER TABLE "llm_settings" ADD COLUMN "chart_interval" text DEFAULT '1h' NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_settings" ADD COLUMN "chart_studies" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_settings" ADD COLUMN "chart_range" text;--> statement-breakpoint
ALTER TABLE "run_transcripts" ADD COLUMN "picture" "bytea";--> statement-breakpoint
-- The versions from before had no chart. Without this, the next save would list these settings as changed.
UPDATE "strategy_versions" v SET "settings" = v."settings" || '{"use_chart": false, "chart_symbol": null, "chart_interval": "1h", "chart_studies": [], "chart_range": null}'::jsonb FROM "strategies" s WHERE s."id" = v."strategy_id" AND s."type" in ('llm-reaction', 'llm-session');
