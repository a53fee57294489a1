CREATE TABLE "ai_spending" (
	"strategy_id" bigint NOT NULL,
	"day" date NOT NULL,
	"tokens" bigint NOT NULL,
	"actions" integer NOT NULL,
	CONSTRAINT "ai_spending_strategy_id_day_pk" PRIMARY KEY("strategy_id","day")
);
--> statement-breakpoint
CREATE TABLE "llm_reactions" (
	"strategy_id" bigint PRIMARY KEY NOT NULL,
	"prompt" text NOT NULL,
	"connection_id" bigint,
	"actions" jsonb NOT NULL,
	"max_size" double precision,
	"tokens_per_day" integer NOT NULL,
	"actions_per_day" integer NOT NULL,
	"response" text
);
--> statement-breakpoint
CREATE TABLE "run_transcripts" (
	"run_id" bigint PRIMARY KEY NOT NULL,
	"strategy_id" bigint NOT NULL,
	"text" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ai_spending" ADD CONSTRAINT "ai_spending_strategy_id_strategies_id_fk" FOREIGN KEY ("strategy_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "llm_reactions" ADD CONSTRAINT "llm_reactions_strategy_id_strategies_id_fk" FOREIGN KEY ("strategy_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "llm_reactions" ADD CONSTRAINT "llm_reactions_connection_id_ai_connections_id_fk" FOREIGN KEY ("connection_id") REFERENCES "public"."ai_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_spending_day_index" ON "ai_spending" USING btree ("day");--> statement-breakpoint
CREATE INDEX "llm_reactions_connection_id_index" ON "llm_reactions" USING btree ("connection_id");--> statement-breakpoint
CREATE INDEX "run_transcripts_strategy_id_index" ON "run_transcripts" USING btree ("strategy_id");