ALTER TABLE "reconciliations" ADD COLUMN "open_orders" integer;--> statement-breakpoint
ALTER TABLE "reconciliations" ADD COLUMN "unknown_orders" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "orders_exchange_order" ON "orders" USING btree ("exchange_order_id") WHERE exchange_order_id is not null;