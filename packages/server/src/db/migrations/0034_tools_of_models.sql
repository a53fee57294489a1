-- Every strategy that exists gets the tools that a new one has. From then on, each row says which ones.
ALTER TABLE "llm_settings" ADD COLUMN "tools" jsonb DEFAULT '["get_positions", "get_price", "get_candles", "get_indicator", "get_signal_logs", "get_error_logs", "get_storage", "set_storage", "append_storage"]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "llm_settings" ALTER COLUMN "tools" DROP DEFAULT;
