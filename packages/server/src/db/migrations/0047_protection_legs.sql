CREATE TABLE "protection_legs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "protection_legs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"bot_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"generation" integer NOT NULL,
	"client_id" text NOT NULL,
	"exchange_id" text,
	"side" text NOT NULL,
	"size" numeric NOT NULL,
	"stop" numeric NOT NULL,
	"price" numeric NOT NULL,
	"stop_reason" text NOT NULL,
	"status" text DEFAULT 'PLANNED' NOT NULL,
	"reason" text,
	"order_id" bigint,
	"sent_at" timestamp with time zone NOT NULL,
	"cancel_asked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "protection_legs_client_id_unique" UNIQUE("client_id")
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "leg_id" bigint;--> statement-breakpoint
ALTER TABLE "protection_legs" ADD CONSTRAINT "protection_legs_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "protection_legs_once" ON "protection_legs" USING btree ("bot_id","symbol","opened_at","generation");--> statement-breakpoint
CREATE INDEX "protection_legs_live" ON "protection_legs" USING btree ("bot_id","symbol") WHERE status in ('PLANNED', 'UNKNOWN', 'OPEN');