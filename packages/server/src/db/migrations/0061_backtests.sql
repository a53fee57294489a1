CREATE TABLE "backtest_parts" (
	"backtest_id" bigint NOT NULL,
	"bot" integer NOT NULL,
	"kind" text NOT NULL,
	"number" integer NOT NULL,
	"first" integer DEFAULT 0 NOT NULL,
	"records" integer DEFAULT 0 NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "backtest_parts_backtest_id_bot_kind_number_pk" PRIMARY KEY("backtest_id","bot","kind","number")
);
--> statement-breakpoint
CREATE TABLE "backtests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "backtests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"status" text DEFAULT 'QUEUED' NOT NULL,
	"strategy_id" bigint,
	"version" bigint,
	"code" text NOT NULL,
	"symbol" text NOT NULL,
	"plan" jsonb NOT NULL,
	"environment" "bytea" NOT NULL,
	"candles" "bytea" NOT NULL,
	"candle_count" integer NOT NULL,
	"period_ms" bigint NOT NULL,
	"runs" integer NOT NULL,
	"runs_done" integer DEFAULT 0 NOT NULL,
	"holder" uuid,
	"deaths" integer DEFAULT 0 NOT NULL,
	"decisions_key" "bytea" NOT NULL,
	"is_decided" boolean DEFAULT false NOT NULL,
	"results" jsonb,
	"digest" text,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "backtest_parts" ADD CONSTRAINT "backtest_parts_backtest_id_backtests_id_fk" FOREIGN KEY ("backtest_id") REFERENCES "public"."backtests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backtests" ADD CONSTRAINT "backtests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backtests_user_id_id_index" ON "backtests" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "backtests_running" ON "backtests" USING btree ("user_id") WHERE status = 'RUNNING';--> statement-breakpoint
CREATE INDEX "backtests_open" ON "backtests" USING btree ("id") WHERE status in ('QUEUED', 'RUNNING');--> statement-breakpoint
CREATE INDEX "backtests_decided" ON "backtests" USING btree ("user_id","decisions_key") WHERE is_decided;