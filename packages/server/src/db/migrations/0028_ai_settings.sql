ALTER TABLE "llm_reactions" RENAME TO "llm_settings";--> statement-breakpoint
ALTER INDEX "llm_reactions_pkey" RENAME TO "llm_settings_pkey";--> statement-breakpoint
ALTER INDEX "llm_reactions_connection_id_index" RENAME TO "llm_settings_connection_id_index";--> statement-breakpoint
ALTER TABLE "llm_settings" RENAME CONSTRAINT "llm_reactions_strategy_id_strategies_id_fk" TO "llm_settings_strategy_id_strategies_id_fk";--> statement-breakpoint
ALTER TABLE "llm_settings" RENAME CONSTRAINT "llm_reactions_connection_id_ai_connections_id_fk" TO "llm_settings_connection_id_ai_connections_id_fk";
