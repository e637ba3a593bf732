srun python megatron_gpt_pretraining.py --config-name=llama.yaml trainer.num_nodes=2 model.tensor_model_parallel_size=4 ++model.fp8=null
