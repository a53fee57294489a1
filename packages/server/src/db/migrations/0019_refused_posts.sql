CREATE TABLE "bot_webhook_deliveries" (
	"id" bigint PRIMARY KEY NOT NULL,
	"webhook_id" bigint NOT NULL,
	"body" text NOT NULL,
	"headers" jsonb NOT NULL,
	"ip" text NOT NULL,
	"sender_id" bigint,
	"idempotency_key" text,
	"bots" integer NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refused_bot_posts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "refused_bot_posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" bigint NOT NULL,
	"sender_id" bigint,
	"ip" text,
	"size" bigint,
	"status" integer NOT NULL,
	"code" text NOT NULL,
	"reason" text NOT NULL,
	"key_name" text,
	"more" bigint NOT NULL,
	"refused_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refused_data_posts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "refused_data_posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" bigint NOT NULL,
	"sender_id" bigint,
	"ip" text,
	"size" bigint,
	"status" integer NOT NULL,
	"code" text NOT NULL,
	"reason" text NOT NULL,
	"key_name" text,
	"more" bigint NOT NULL,
	"refused_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bot_webhooks" ADD COLUMN "content_type" text DEFAULT 'any' NOT NULL;--> statement-breakpoint
ALTER TABLE "data_webhooks" ADD COLUMN "content_type" text DEFAULT 'json' NOT NULL;--> statement-breakpoint
CREATE INDEX "bot_webhook_deliveries_webhook_id_id_index" ON "bot_webhook_deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "refused_bot_posts_webhook_id_id_index" ON "refused_bot_posts" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "refused_data_posts_webhook_id_id_index" ON "refused_data_posts" USING btree ("webhook_id","id");