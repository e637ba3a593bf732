nemo llm pretrain --factory "llama3_8b(num_nodes=2, num_gpus_per_node=8)" -y trainer.strategy.tensor_model_parallel_size=2 data.global_batch_size=64
