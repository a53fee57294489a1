ALTER TABLE "nodes" ADD COLUMN "roles" text[];--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "version" text;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "node_version" text;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "memory_bytes" bigint;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "executors" jsonb;