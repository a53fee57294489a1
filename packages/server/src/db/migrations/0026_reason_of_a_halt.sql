ALTER TABLE "installation" ADD COLUMN "halt_reason" text;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "halted_by" bigint;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "halted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "installation" ADD CONSTRAINT "installation_halted_by_users_id_fk" FOREIGN KEY ("halted_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;