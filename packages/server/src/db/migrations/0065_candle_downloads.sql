CREATE TABLE "candle_downloads" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "candle_downloads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"series_id" bigint,
	"kind" text NOT NULL,
	"exchange" text NOT NULL,
	"service" text NOT NULL,
	"symbol" text NOT NULL,
	"interval" text DEFAULT '' NOT NULL,
	"from_ms" bigint NOT NULL,
	"to_ms" bigint NOT NULL,
	"next_ms" bigint NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"holder" uuid,
	"stored" integer DEFAULT 0 NOT NULL,
	"repeated" integer DEFAULT 0 NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "candle_downloads" ADD CONSTRAINT "candle_downloads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "candle_downloads" ADD CONSTRAINT "candle_downloads_series_id_candle_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."candle_series"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "candle_downloads_user_id_id_index" ON "candle_downloads" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "candle_downloads_status_index" ON "candle_downloads" USING btree ("status");