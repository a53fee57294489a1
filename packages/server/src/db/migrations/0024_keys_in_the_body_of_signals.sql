ALTER TABLE "bot_webhooks" ALTER COLUMN "key_from" SET DEFAULT 'header_or_body';--> statement-breakpoint
-- Nothing says whether an owner chose "header" or just kept it, because it was the default. The password stays necessary,
-- so nobody gets in who did not before. The version tells every node that its copy is outdated.
UPDATE "bot_webhooks" SET "key_from" = 'header_or_body', "version" = "version" + 1, "updated_at" = now() WHERE "key_from" = 'header';
