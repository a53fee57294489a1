CREATE TABLE "prediction_connections" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prediction_connections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"exchange_id" integer NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"credentials" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stored_bots" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "stored_bots_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"webhook_id" bigint,
	"exchange_id" integer NOT NULL,
	"connection_id" bigint,
	"folder_id" bigint,
	"chain_id" text,
	"address" text,
	"settings" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "prediction_connections" ADD CONSTRAINT "prediction_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_bots" ADD CONSTRAINT "stored_bots_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_bots" ADD CONSTRAINT "stored_bots_webhook_id_bot_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."bot_webhooks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_bots" ADD CONSTRAINT "stored_bots_connection_id_prediction_connections_id_fk" FOREIGN KEY ("connection_id") REFERENCES "public"."prediction_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_bots" ADD CONSTRAINT "stored_bots_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "prediction_connections_user_id_id_index" ON "prediction_connections" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "stored_bots_user_id_type_id_index" ON "stored_bots" USING btree ("user_id","type","id");--> statement-breakpoint
CREATE INDEX "stored_bots_webhook_id_index" ON "stored_bots" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "stored_bots_connection_id_index" ON "stored_bots" USING btree ("connection_id");--> statement-breakpoint
CREATE INDEX "stored_bots_folder_id_index" ON "stored_bots" USING btree ("folder_id");--> statement-breakpoint
CREATE UNIQUE INDEX "stored_bots_address" ON "stored_bots" USING btree ("user_id","chain_id","address");