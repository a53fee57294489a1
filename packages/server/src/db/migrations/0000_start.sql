CREATE TABLE "api_keys" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"algorithm" text NOT NULL,
	"api_key" text NOT NULL,
	"secret" "bytea",
	"public_key" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"rotated_at" timestamp with time zone,
	CONSTRAINT "api_keys_api_key_unique" UNIQUE("api_key")
);
--> statement-breakpoint
CREATE TABLE "data_webhooks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "data_webhooks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
	CONSTRAINT "data_webhooks_url_hash_unique" UNIQUE("url_hash")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" bigint NOT NULL,
	"body" text NOT NULL,
	"headers" jsonb NOT NULL,
	"ip" text NOT NULL,
	"idempotency_key" text,
	"reactions" integer NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "exchange_settings" (
	"exchange_id" integer PRIMARY KEY NOT NULL,
	"enabled" boolean NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"webhook_id" bigint NOT NULL,
	"key" text NOT NULL,
	"delivery_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_webhook_id_key_pk" PRIMARY KEY("webhook_id","key")
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"id" integer PRIMARY KEY NOT NULL,
	"key_check" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"heartbeat_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"strategy_id" bigint NOT NULL,
	"trigger" text NOT NULL,
	"status" text DEFAULT 'QUEUED' NOT NULL,
	"delivery_id" bigint,
	"queued_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"duration_ms" double precision,
	"error" jsonb,
	"violation" jsonb,
	"log" text
);
--> statement-breakpoint
CREATE TABLE "signals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "signals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"strategy_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"action" text NOT NULL,
	"symbols" jsonb NOT NULL,
	"price" double precision,
	"options" jsonb NOT NULL,
	"previous_trigger" jsonb NOT NULL,
	"delivered" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strategies" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "strategies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"folder_id" bigint,
	"status" text DEFAULT 'INACTIVE' NOT NULL,
	"code" text NOT NULL,
	"send_signal" boolean DEFAULT false NOT NULL,
	"webhook_id" bigint,
	"symbol" text,
	"use_price" boolean DEFAULT false NOT NULL,
	"exchange_id" integer,
	"price_symbol" text,
	"data_webhook_id" bigint,
	"delay" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "strategy_state" (
	"strategy_id" bigint PRIMARY KEY NOT NULL,
	"holder" uuid,
	"storage" text,
	"last_action" text,
	"last_price" double precision,
	"last_action_at" timestamp with time zone,
	"last_run_at" timestamp with time zone,
	"suspended_until" timestamp with time zone,
	"suspension" jsonb,
	"violation_count" integer DEFAULT 0 NOT NULL,
	"last_violation_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_webhooks" ADD CONSTRAINT "data_webhooks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strategies" ADD CONSTRAINT "strategies_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strategies" ADD CONSTRAINT "strategies_data_webhook_id_data_webhooks_id_fk" FOREIGN KEY ("data_webhook_id") REFERENCES "public"."data_webhooks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strategy_state" ADD CONSTRAINT "strategy_state_strategy_id_strategies_id_fk" FOREIGN KEY ("strategy_id") REFERENCES "public"."strategies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_user_id_index" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "data_webhooks_user_id_index" ON "data_webhooks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "deliveries_webhook_id_id_index" ON "deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_at_index" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "runs_strategy_id_id_index" ON "runs" USING btree ("strategy_id","id");--> statement-breakpoint
CREATE INDEX "runs_delivery_id_index" ON "runs" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("strategy_id","id") WHERE status in ('QUEUED', 'RUNNING');--> statement-breakpoint
CREATE UNIQUE INDEX "signals_run_id_index" ON "signals" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "signals_user_id_id_index" ON "signals" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "signals_strategy_id_id_index" ON "signals" USING btree ("strategy_id","id");--> statement-breakpoint
CREATE INDEX "strategies_user_id_type_index" ON "strategies" USING btree ("user_id","type");--> statement-breakpoint
CREATE INDEX "strategies_data_webhook_id_index" ON "strategies" USING btree ("data_webhook_id");