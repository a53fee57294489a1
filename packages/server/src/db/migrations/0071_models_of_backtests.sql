CREATE TABLE "backtest_answers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "backtest_answers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"backtest_id" bigint NOT NULL,
	"question" "bytea" NOT NULL,
	"answer" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "backtests" ADD COLUMN "model_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "backtest_answers" ADD CONSTRAINT "backtest_answers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "backtest_answers_question" ON "backtest_answers" USING btree ("user_id","question");