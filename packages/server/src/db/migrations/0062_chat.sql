CREATE TABLE "chat_bots" (
	"bot_id" bigint PRIMARY KEY NOT NULL,
	"holder" uuid,
	"held_until" timestamp with time zone,
	"next_update" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chat_buttons" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_buttons_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"code_hash" "bytea" NOT NULL,
	"link_id" bigint NOT NULL,
	"action" jsonb NOT NULL,
	"text" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"pressed_by" bigint,
	"needs_code" boolean DEFAULT false NOT NULL,
	"confirmed_by" bigint
);
--> statement-breakpoint
CREATE TABLE "chat_codes" (
	"code_hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"scope" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chat_links" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_links_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"telegram_id" bigint NOT NULL,
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "chat_updates" (
	"bot_id" bigint NOT NULL,
	"update_id" bigint NOT NULL,
	"is_done" boolean DEFAULT false NOT NULL,
	"held_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_updates_bot_id_update_id_pk" PRIMARY KEY("bot_id","update_id")
);
--> statement-breakpoint
ALTER TABLE "chat_buttons" ADD CONSTRAINT "chat_buttons_link_id_chat_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."chat_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_codes" ADD CONSTRAINT "chat_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_links" ADD CONSTRAINT "chat_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "chat_buttons_once" ON "chat_buttons" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "chat_buttons_link_id_index" ON "chat_buttons" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "chat_buttons_expires_at_index" ON "chat_buttons" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "chat_codes_user_id_index" ON "chat_codes" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "chat_links_once" ON "chat_links" USING btree ("telegram_id");--> statement-breakpoint
CREATE INDEX "chat_links_user_id_index" ON "chat_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "chat_updates_created_at_index" ON "chat_updates" USING btree ("created_at");