CREATE TABLE "test_payloads" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "test_payloads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"webhook_id" bigint NOT NULL,
	"name" text NOT NULL,
	"body" text NOT NULL,
	"headers" jsonb,
	"ip" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "test_payloads" ADD CONSTRAINT "test_payloads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_payloads" ADD CONSTRAINT "test_payloads_webhook_id_data_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."data_webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "test_payloads_webhook_id_name_index" ON "test_payloads" USING btree ("webhook_id","name");--> statement-breakpoint
CREATE INDEX "test_payloads_user_id_id_index" ON "test_payloads" USING btree ("user_id","id");