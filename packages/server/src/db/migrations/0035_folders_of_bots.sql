ALTER TABLE "bots" ADD COLUMN "folder_id" bigint;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bots_folder_id_index" ON "bots" USING btree ("folder_id");