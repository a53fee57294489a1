CREATE TABLE "signal_callbacks" (
	"id" bigint PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"origin" text NOT NULL,
	"url" "bytea" NOT NULL,
	"notification_id" bigint,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD COLUMN "url" "bytea";--> statement-breakpoint
ALTER TABLE "notification_endpoints" ADD COLUMN "callback_origin" text;--> statement-breakpoint
CREATE INDEX "signal_callbacks_waiting" ON "signal_callbacks" USING btree ("id") WHERE notification_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_endpoints_callbacks" ON "notification_endpoints" USING btree ("user_id","callback_origin") WHERE callback_origin is not null;