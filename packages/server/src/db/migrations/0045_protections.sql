CREATE TABLE "position_protections" (
	"bot_id" bigint NOT NULL,
	"symbol" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"order_id" bigint,
	"settings" jsonb NOT NULL,
	"state" text DEFAULT 'WATCHED' NOT NULL,
	"opened_size" numeric NOT NULL,
	"best_price" numeric,
	"stop_price" numeric,
	"stop_reason" text,
	"targets_passed" integer DEFAULT 0 NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL,
	"close_id" bigint,
	"attempts" integer DEFAULT 0 NOT NULL,
	"retry_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "position_protections_bot_id_symbol_pk" PRIMARY KEY("bot_id","symbol")
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "protection" jsonb;--> statement-breakpoint
ALTER TABLE "position_protections" ADD CONSTRAINT "position_protections_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "position_protections_close" ON "position_protections" USING btree ("close_id") WHERE close_id is not null;