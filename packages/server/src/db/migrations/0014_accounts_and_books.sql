CREATE TABLE "payments" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "payments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"kind" text NOT NULL,
	"payment_id" text NOT NULL,
	"asset" text NOT NULL,
	"amount" numeric NOT NULL,
	"value" numeric NOT NULL,
	"paid_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reconciliation_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reconciliation_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"type" text NOT NULL,
	"text" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reconciliations" (
	"bot_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"user_id" bigint NOT NULL,
	"status" text NOT NULL,
	"books_size" numeric NOT NULL,
	"account_size" numeric,
	"ignored_size" numeric DEFAULT '0' NOT NULL,
	"known_until" timestamp with time zone NOT NULL,
	"funding_until" timestamp with time zone NOT NULL,
	"reason" text,
	"differs_since" timestamp with time zone,
	"checked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "reconciliations_bot_id_symbol_pk" PRIMARY KEY("bot_id","symbol")
);
--> statement-breakpoint
DROP INDEX "bot_signals_open";--> statement-breakpoint
ALTER TABLE "fills" ALTER COLUMN "order_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "origin" text;--> statement-breakpoint
ALTER TABLE "bot_signals" ADD COLUMN "refusals" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "limit_reached_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "is_demo" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "account" text;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "facts" jsonb;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "facts_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "equity" numeric;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "equity_currency" text;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD COLUMN "equity_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "fills" ADD COLUMN "kind" text DEFAULT 'order' NOT NULL;--> statement-breakpoint
ALTER TABLE "positions" ADD COLUMN "funding" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "reconciliation_events" ADD CONSTRAINT "reconciliation_events_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reconciliations" ADD CONSTRAINT "reconciliations_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payments_once" ON "payments" USING btree ("bot_id","symbol","payment_id");--> statement-breakpoint
CREATE INDEX "payments_user_id_id_index" ON "payments" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "payments_bot_id_paid_at_index" ON "payments" USING btree ("bot_id","paid_at");--> statement-breakpoint
CREATE INDEX "reconciliation_events_bot_id_id_index" ON "reconciliation_events" USING btree ("bot_id","id");--> statement-breakpoint
CREATE INDEX "bot_signals_waiting" ON "bot_signals" USING btree ("bot_id","id") WHERE status = 'WAITING';--> statement-breakpoint
CREATE UNIQUE INDEX "outside_fills_once" ON "fills" USING btree ("bot_id","symbol","trade_id") WHERE order_id is null;--> statement-breakpoint
CREATE INDEX "bot_signals_open" ON "bot_signals" USING btree ("bot_id","symbol","id") WHERE status in ('QUEUED', 'WORKING', 'CLOSING');--> statement-breakpoint
UPDATE "bots" b SET "settings" = '{"amountRate": null, "onLimit": "stop"}'::jsonb || b."settings" || jsonb_build_object('amountCurrency', coalesce((
  SELECT nullif(split_part(split_part(o."symbol", '/', 2), ':', 1), '') FROM "orders" o
  WHERE o."bot_id" = b."id" AND (o."filled_size" > 0 OR o."status" IN ('PLANNED', 'OPEN', 'UNKNOWN'))
  ORDER BY o."id" LIMIT 1
), CASE WHEN b."exchange_id" IN (6, 7) THEN 'USD' WHEN b."exchange_id" IN (11, 12) THEN 'USDC' ELSE 'USDT' END));
