CREATE TABLE "told_trades" (
	"bot_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"fill_id" bigint NOT NULL,
	"books" jsonb NOT NULL,
	"opened_id" bigint,
	"closed_id" bigint,
	CONSTRAINT "told_trades_bot_id_symbol_pk" PRIMARY KEY("bot_id","symbol")
);
--> statement-breakpoint
ALTER TABLE "told_trades" ADD CONSTRAINT "told_trades_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;