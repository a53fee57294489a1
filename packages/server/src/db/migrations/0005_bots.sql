CREATE TABLE "bot_signals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bot_signals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"signal_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"status" text DEFAULT 'QUEUED' NOT NULL,
	"reason" text,
	"queued_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "bot_webhooks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bot_webhooks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"is_safe" boolean DEFAULT false NOT NULL,
	"key_hash" "bytea",
	"key_from" text DEFAULT 'header' NOT NULL,
	"url_hash" "bytea" NOT NULL,
	"url_secret" "bytea" NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bot_webhooks_url_hash_unique" UNIQUE("url_hash")
);
--> statement-breakpoint
CREATE TABLE "bots" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bots_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'INACTIVE' NOT NULL,
	"mode" text DEFAULT 'paper' NOT NULL,
	"webhook_id" bigint,
	"exchange_id" integer NOT NULL,
	"connection_id" bigint,
	"settings" jsonb NOT NULL,
	"holder" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "equity" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "equity_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bot_id" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"balance" numeric NOT NULL,
	"unrealised" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "exchange_connections" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "exchange_connections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"exchange_id" integer NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"credentials" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fills" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "fills_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"order_id" bigint NOT NULL,
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"trade_id" text NOT NULL,
	"symbol" text NOT NULL,
	"side" text NOT NULL,
	"size" numeric NOT NULL,
	"price" numeric NOT NULL,
	"fee" numeric NOT NULL,
	"fee_asset" text NOT NULL,
	"realised" numeric NOT NULL,
	"filled_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "orders_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"bot_signal_id" bigint NOT NULL,
	"client_order_id" text NOT NULL,
	"exchange_order_id" text,
	"symbol" text NOT NULL,
	"side" text NOT NULL,
	"purpose" text NOT NULL,
	"reduce_only" boolean NOT NULL,
	"size" numeric NOT NULL,
	"filled_size" numeric DEFAULT '0' NOT NULL,
	"average_price" numeric,
	"status" text NOT NULL,
	"reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "orders_client_order_id_unique" UNIQUE("client_order_id")
);
--> statement-breakpoint
CREATE TABLE "positions" (
	"bot_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"user_id" bigint NOT NULL,
	"side" text,
	"size" numeric NOT NULL,
	"entry_price" numeric,
	"realised" numeric NOT NULL,
	"fees" numeric NOT NULL,
	"opened_at" timestamp with time zone,
	"last_loss_at" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "positions_bot_id_symbol_pk" PRIMARY KEY("bot_id","symbol")
);
--> statement-breakpoint
ALTER TABLE "signals" ALTER COLUMN "strategy_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" ALTER COLUMN "run_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" ALTER COLUMN "previous_trigger" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "live_trading" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "trading_halted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "webhook_id" bigint;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "flag" text;--> statement-breakpoint
ALTER TABLE "bot_webhooks" ADD CONSTRAINT "bot_webhooks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_webhook_id_bot_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."bot_webhooks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_connection_id_exchange_connections_id_fk" FOREIGN KEY ("connection_id") REFERENCES "public"."exchange_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exchange_connections" ADD CONSTRAINT "exchange_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "positions" ADD CONSTRAINT "positions_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "bot_signals_once" ON "bot_signals" USING btree ("bot_id","signal_id","symbol");--> statement-breakpoint
CREATE INDEX "bot_signals_user_id_id_index" ON "bot_signals" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "bot_signals_open" ON "bot_signals" USING btree ("bot_id","id") WHERE status in ('QUEUED', 'WORKING');--> statement-breakpoint
CREATE INDEX "bot_webhooks_user_id_index" ON "bot_webhooks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "bots_user_id_index" ON "bots" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "bots_webhook_id_index" ON "bots" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "bots_connection_id_index" ON "bots" USING btree ("connection_id");--> statement-breakpoint
CREATE INDEX "equity_bot_id_at_index" ON "equity" USING btree ("bot_id","at");--> statement-breakpoint
CREATE INDEX "exchange_connections_user_id_index" ON "exchange_connections" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "fills_once" ON "fills" USING btree ("order_id","trade_id");--> statement-breakpoint
CREATE INDEX "fills_user_id_id_index" ON "fills" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "fills_bot_id_id_index" ON "fills" USING btree ("bot_id","id");--> statement-breakpoint
CREATE INDEX "orders_user_id_id_index" ON "orders" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "orders_bot_id_id_index" ON "orders" USING btree ("bot_id","id");--> statement-breakpoint
CREATE INDEX "orders_bot_signal_id_index" ON "orders" USING btree ("bot_signal_id");--> statement-breakpoint
CREATE INDEX "orders_unsettled" ON "orders" USING btree ("bot_id") WHERE status in ('PLANNED', 'OPEN', 'UNKNOWN');--> statement-breakpoint
CREATE INDEX "positions_user_id_index" ON "positions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "signals_webhook_id_id_index" ON "signals" USING btree ("webhook_id","id");