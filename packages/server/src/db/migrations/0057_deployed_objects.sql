CREATE TABLE "deployed_objects" (
	"user_id" bigint NOT NULL,
	"project" text NOT NULL,
	"kind" text NOT NULL,
	"object_id" bigint NOT NULL,
	"key" text NOT NULL,
	"revision" text NOT NULL,
	"deployed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deployed_objects_user_id_project_kind_object_id_pk" PRIMARY KEY("user_id","project","kind","object_id"),
	CONSTRAINT "deployed_objects_key_unique" UNIQUE("user_id","project","kind","key")
);
--> statement-breakpoint
ALTER TABLE "deployed_objects" ADD CONSTRAINT "deployed_objects_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;