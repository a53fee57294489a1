CREATE TABLE "bot_webhook_keys" (
	"webhook_id" bigint NOT NULL,
	"key" text NOT NULL,
	"signal_id" bigint NOT NULL,
	"bots" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "bot_webhook_keys_webhook_id_key_pk" PRIMARY KEY("webhook_id","key")
);
--> statement-breakpoint
CREATE INDEX "bot_webhook_keys_created_at_index" ON "bot_webhook_keys" USING btree ("created_at");