CREATE TABLE "unprotected_times" (
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"since" timestamp with time zone,
	"counted_until" timestamp with time zone,
	"milliseconds" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "unprotected_times_bot_id_symbol_opened_at_pk" PRIMARY KEY("bot_id","symbol","opened_at")
);
--> statement-breakpoint
ALTER TABLE "protection_legs" ADD COLUMN "rests_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "unprotected_times" ADD CONSTRAINT "unprotected_times_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;