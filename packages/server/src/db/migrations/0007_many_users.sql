CREATE TABLE "account_tokens" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "account_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"user_id" bigint,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "account_tokens_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"event" text NOT NULL,
	"by_user_id" bigint,
	"ip" text,
	"details" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "guesses" (
	"subject" "bytea" PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"locked_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" bigint NOT NULL,
	"code_hash" "bytea" NOT NULL,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sessions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"ip" text NOT NULL,
	"user_agent" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "totp_secrets" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL,
	"last_step" bigint DEFAULT 0 NOT NULL,
	"enabled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ai_connections" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ai_connections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"service_id" integer NOT NULL,
	"name" text NOT NULL,
	"base_url" text,
	"model" text NOT NULL,
	"streaming" boolean DEFAULT false NOT NULL,
	"credentials" "bytea" NOT NULL,
	"fallback_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"recipient" text NOT NULL,
	"kind" text NOT NULL,
	"facts" jsonb,
	"subject" text,
	"body" "bytea",
	"once_key" text,
	"status" text DEFAULT 'WAITING' NOT NULL,
	"reason" text,
	"message_id" text,
	"sending" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"first_attempt_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "mails_once_key_unique" UNIQUE("once_key")
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"notification_id" bigint NOT NULL,
	"endpoint_id" bigint NOT NULL,
	"status" text DEFAULT 'WAITING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"strikes" integer DEFAULT 0 NOT NULL,
	"last_status" integer,
	"last_error" text,
	"last_attempt_at" timestamp with time zone,
	"next_attempt_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_endpoints" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_endpoints_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"url" "bytea" NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"events" text[] NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"reason" text,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_until" timestamp with time zone,
	"holder" uuid,
	"held_until" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"failing_notification_id" bigint,
	"probe_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notifications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"user_id" bigint NOT NULL,
	"type" text NOT NULL,
	"data" json NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bot_webhook_shares" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bot_webhook_shares_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"url_hash" "bytea" NOT NULL,
	"url_secret" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bot_webhook_shares_url_hash_unique" UNIQUE("url_hash")
);
--> statement-breakpoint
CREATE TABLE "data_webhook_shares" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "data_webhook_shares_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"url_hash" "bytea" NOT NULL,
	"url_secret" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "data_webhook_shares_url_hash_unique" UNIQUE("url_hash")
);
--> statement-breakpoint
ALTER TABLE "bots" DROP CONSTRAINT "bots_webhook_id_bot_webhooks_id_fk";
--> statement-breakpoint
ALTER TABLE "strategies" DROP CONSTRAINT "strategies_data_webhook_id_data_webhooks_id_fk";
--> statement-breakpoint
DROP INDEX "bot_signals_user_id_id_index";--> statement-breakpoint
ALTER TABLE "bot_webhook_keys" DROP CONSTRAINT "bot_webhook_keys_webhook_id_key_pk";--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_webhook_id_key_pk";--> statement-breakpoint
ALTER TABLE "bot_webhook_keys" ADD COLUMN "sender_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "sender_id" bigint;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "sender_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "sender_id" bigint;--> statement-breakpoint
ALTER TABLE "strategies" ADD COLUMN "is_public" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "status" text DEFAULT 'ACTIVE' NOT NULL;--> statement-breakpoint
ALTER TABLE "account_tokens" ADD CONSTRAINT "account_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "totp_secrets" ADD CONSTRAINT "totp_secrets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_connections" ADD CONSTRAINT "ai_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_connections" ADD CONSTRAINT "ai_connections_fallback_id_ai_connections_id_fk" FOREIGN KEY ("fallback_id") REFERENCES "public"."ai_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD CONSTRAINT "notification_endpoints_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bot_webhook_shares" ADD CONSTRAINT "bot_webhook_shares_webhook_id_bot_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."bot_webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bot_webhook_shares" ADD CONSTRAINT "bot_webhook_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_webhook_shares" ADD CONSTRAINT "data_webhook_shares_webhook_id_data_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."data_webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_webhook_shares" ADD CONSTRAINT "data_webhook_shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_tokens_user_id_index" ON "account_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "account_tokens_email_index" ON "account_tokens" USING btree ("email");--> statement-breakpoint
CREATE INDEX "audit_events_user_id_id_index" ON "audit_events" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "guesses_last_at_index" ON "guesses" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "sessions_user_id_index" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "ai_connections_user_id_index" ON "ai_connections" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "ai_connections_fallback_id_index" ON "ai_connections" USING btree ("fallback_id");--> statement-breakpoint
CREATE INDEX "mails_user_id_id_index" ON "mails" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("next_attempt_at") WHERE status = 'WAITING';--> statement-breakpoint
CREATE INDEX "mails_pace" ON "mails" USING btree ("recipient","kind","finished_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_deliveries_once" ON "notification_deliveries" USING btree ("notification_id","endpoint_id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_waiting" ON "notification_deliveries" USING btree ("endpoint_id","notification_id") WHERE status = 'WAITING';--> statement-breakpoint
CREATE INDEX "notification_deliveries_endpoint_id_id_index" ON "notification_deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "notification_endpoints_user_id_index" ON "notification_endpoints" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "notifications_user_id_id_index" ON "notifications" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "bot_webhook_shares_webhook_id_user_id_index" ON "bot_webhook_shares" USING btree ("webhook_id","user_id");--> statement-breakpoint
CREATE INDEX "bot_webhook_shares_user_id_index" ON "bot_webhook_shares" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "data_webhook_shares_webhook_id_user_id_index" ON "data_webhook_shares" USING btree ("webhook_id","user_id");--> statement-breakpoint
CREATE INDEX "data_webhook_shares_user_id_index" ON "data_webhook_shares" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_webhook_id_bot_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."bot_webhooks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "strategies" ADD CONSTRAINT "strategies_data_webhook_id_data_webhooks_id_fk" FOREIGN KEY ("data_webhook_id") REFERENCES "public"."data_webhooks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bot_signals_bot_id_id_index" ON "bot_signals" USING btree ("bot_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "bot_webhook_keys_once" ON "bot_webhook_keys" USING btree ("webhook_id","sender_id","key");--> statement-breakpoint
CREATE INDEX "fills_user_id_filled_at_index" ON "fills" USING btree ("user_id","filled_at");--> statement-breakpoint
CREATE INDEX "fills_symbol" ON "fills" USING btree ("user_id",upper(regexp_replace(split_part("symbol", ':', 1), '[^[:alnum:]]', '', 'g')),"id");--> statement-breakpoint
CREATE INDEX "fills_bot_id_filled_at_index" ON "fills" USING btree ("bot_id","filled_at");--> statement-breakpoint
CREATE UNIQUE INDEX "idempotency_keys_once" ON "idempotency_keys" USING btree ("webhook_id","sender_id","key");--> statement-breakpoint
CREATE INDEX "orders_user_id_created_at_index" ON "orders" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_symbol" ON "orders" USING btree ("user_id",upper(regexp_replace(split_part("symbol", ':', 1), '[^[:alnum:]]', '', 'g')),"id");--> statement-breakpoint
CREATE INDEX "orders_not_filled" ON "orders" USING btree ("user_id","status","id") WHERE status <> 'FILLED';--> statement-breakpoint
CREATE INDEX "strategies_public" ON "strategies" USING btree ("type","id") WHERE is_public;