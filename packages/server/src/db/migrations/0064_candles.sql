CREATE TABLE "candle_changes" (
	"series_id" bigint NOT NULL,
	"time_ms" bigint NOT NULL,
	"stored" text NOT NULL,
	"found" text NOT NULL,
	"found_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "candle_changes_series_id_time_ms_pk" PRIMARY KEY("series_id","time_ms")
);
--> statement-breakpoint
CREATE TABLE "candle_chunks" (
	"series_id" bigint NOT NULL,
	"part" bigint NOT NULL,
	"rows" integer NOT NULL,
	"first_ms" bigint NOT NULL,
	"last_ms" bigint NOT NULL,
	"times" "bytea" NOT NULL,
	"figures" "bytea" NOT NULL,
	"checksum" text NOT NULL,
	CONSTRAINT "candle_chunks_series_id_part_pk" PRIMARY KEY("series_id","part")
);
--> statement-breakpoint
CREATE TABLE "candle_series" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "candle_series_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"kind" text DEFAULT 'candles' NOT NULL,
	"source" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"exchange" text,
	"service" text,
	"symbol" text NOT NULL,
	"interval" text DEFAULT '' NOT NULL,
	"rows" integer DEFAULT 0 NOT NULL,
	"first_ms" bigint,
	"last_ms" bigint,
	"changes" integer DEFAULT 0 NOT NULL,
	"checksum" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "candle_changes" ADD CONSTRAINT "candle_changes_series_id_candle_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."candle_series"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "candle_chunks" ADD CONSTRAINT "candle_chunks_series_id_candle_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."candle_series"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "candle_series" ADD CONSTRAINT "candle_series_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "candle_series_user_id_index" ON "candle_series" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "candle_series_shared" ON "candle_series" USING btree ("exchange","service","symbol","interval","kind") WHERE "candle_series"."user_id" is null;